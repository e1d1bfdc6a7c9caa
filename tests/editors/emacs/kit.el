;;; kit.el --- What the Emacs tests share -*- lexical-binding: t -*-

;; A test is a file here, run by `emacs --batch -Q -l kit.el -l FILE': it fails by an error. Eglot is
;; the one that comes with Emacs, with nothing of ours added; questions it would put into the
;; minibuffer are answered by `kit-answer'.

(require 'cl-lib)
(require 'eglot)
(require 'jsonrpc)

(defconst kit-deadline 30)
(defconst kit-main "fn main() {\n    println!(\"hello\");\n}\n")

(defvar kit-folder nil)
(defvar kit-file nil)
(defvar kit-messages nil "What the server said, newest first.")
(defvar kit-asked nil "The questions the user was asked, newest first, each as (PROMPT CHOICES).")
(defvar kit-answer #'car "Chooses among the titles of a question.")

(defun kit-wait (holds what)
  "Serve events until HOLDS gives non-nil, or fail naming WHAT."
  (let ((end (+ (float-time) kit-deadline)))
    (while (not (funcall holds))
      (when (> (float-time) end)
        (error "Never came true: %s; the server said %S, the user was asked %S"
               what kit-messages kit-asked))
      (accept-process-output nil 0.02)
      ;; Eglot sends changes when Emacs is idle, which it never is in batch.
      (when (bound-and-true-p eglot--recent-changes) (eglot--signal-textDocument/didChange)))))

(defun kit-check (condition what &optional seen)
  (unless condition (error "%s: %S" what seen)))

(defun kit-said (text)
  (cl-some (lambda (message) (string-search text message)) kit-messages))

(defun kit-disk ()
  (with-temp-buffer (insert-file-contents kit-file) (buffer-string)))

;; What the user would see in the echo area.
(cl-defmethod eglot-handle-notification :before
  (_server (_method (eql window/showMessage)) &key message &allow-other-keys)
  (push message kit-messages))

(defun kit-choose (prompt choices &rest _)
  (let ((titles (mapcar (lambda (choice) (if (consp choice) (car choice) choice)) choices)))
    (push (list prompt titles) kit-asked)
    (funcall kit-answer titles)))

(defun kit-start ()
  "Make a project, open its file, and connect; gives the server."
  (let ((base (file-name-as-directory (getenv "TMPDIR"))))
    (setq kit-folder (file-name-as-directory (expand-file-name "project" base))
          kit-file (expand-file-name "main.rs" kit-folder))
    (make-directory kit-folder t)
    (write-region kit-main nil kit-file nil 'silent)
    (setenv "BOWLINE_HOME" (expand-file-name "bowline" base)))
  (advice-add 'completing-read :override #'kit-choose)
  (setq eglot-confirm-server-edits nil
        eglot-events-buffer-config '(:size 0)
        eglot-autoshutdown nil
        make-backup-files nil
        create-lockfiles nil)
  (define-derived-mode kit-mode prog-mode "Kit")
  (add-to-list 'eglot-server-programs `(kit-mode . (,(getenv "BOWLINE_BIN") "serve")))
  (add-hook 'project-find-functions (lambda (_) (cons 'transient kit-folder)))
  (find-file kit-file)
  (kit-mode)
  (apply #'eglot (append (eglot--guess-contact) nil))
  (or (eglot-current-server) (error "Eglot did not connect")))

(defun kit-type (line text)
  "Make LINE of the buffer say TEXT, without saving."
  (goto-char (point-min))
  (forward-line (1- line))
  (delete-region (point) (line-end-position))
  (insert text))

(defun kit-ask (server text)
  (jsonrpc-request server :workspace/executeCommand
                   `(:command "bowline.ask" :arguments [,text])))

(provide 'kit)
;;; kit.el ends here
