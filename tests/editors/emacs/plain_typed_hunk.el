;;; Eglot: text typed above, inside and below a change stays when the change is rejected -*- lexical-binding: t -*-

(let* ((server (kit-start))
       (uri (plist-get (eglot--TextDocumentIdentifier) :uri))
       (choose
        (lambda (title line diagnostics)
          (let ((place `(:start (:line ,line :character 13) :end (:line ,line :character 20))) found)
            (kit-wait (lambda ()
                        (setq found
                              (cl-find-if
                               (lambda (action) (string-search title (plist-get action :title)))
                               (append (jsonrpc-request
                                        server :textDocument/codeAction
                                        `(:textDocument (:uri ,uri) :range ,place
                                          :context (:diagnostics ,diagnostics)))
                                       nil))))
                      (concat "the action " title))
            (eglot-execute server found)))))
  (funcall choose "Fix with Bowline" 1
           (vector '(:range (:start (:line 1 :character 13) :end (:line 1 :character 20)) :severity 1
                     :message "cannot find value `hello`, did you mean `world`?")))
  (kit-wait (lambda () (string-search "println!(\"world\");" (buffer-string))) "the fix")
  ;; All three before eglot, which waits until the user rests, tells of any of them.
  (goto-char (point-min))
  (insert "// above\n// above too\n")
  (goto-char (point-max))
  (insert "// below\n")
  (goto-char (point-min))
  (search-forward "wor")
  (insert "TYPED")
  (funcall choose "Reject this change" 3 [])
  (kit-wait (lambda () (not (string-search "ld\");" (buffer-string)))) "it is rejected")
  (kit-check (string-search "TYPED" (buffer-string)) "What was typed inside stays" (buffer-string))
  (kit-check (equal (concat "// above\n// above too\n" kit-main "// below\n")
                    (string-replace "TYPED" "" (buffer-string)))
             "Only the change is gone" (buffer-string))
  (eglot-shutdown server))
